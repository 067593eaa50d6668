"""Whether two files of arrays (np.savez) hold the same: what a pod computed, and what JAX's CPU backend did."""
import numpy

# By dtype, of the array's largest magnitude. Sums of some hundred products come in another order on another mesh, which costs some
# units in the last place of the largest term (2^-24 of it in f32, 2^-9 in bf16), and a few operations follow each other.
TOLERANCE = {"float16": 2e-3, "bfloat16": 2**-6, "float32": 2e-5, "float64": 1e-12, "complex64": 2e-5}


def read(path):
    """{name: array}. NumPy's format does not know bf16, and keeps its bytes as the two-byte type V2."""
    import ml_dtypes
    with numpy.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    return {name: array.view(ml_dtypes.bfloat16) if array.dtype == numpy.dtype("V2") else array for name, array in arrays.items()}


def error_of(name, got, wanted, tolerance=None):
    """None, or what differs. Integers, booleans and texts must be equal; floats near, as TOLERANCE says, or `tolerance`."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{name}: {got.dtype}{list(got.shape)}; the CPU backend has {wanted.dtype}{list(wanted.shape)}"
    if wanted.size == 0:
        return None
    if str(wanted.dtype) not in TOLERANCE:
        differing = numpy.flatnonzero(got.ravel() != wanted.ravel())
        if differing.size == 0:
            return None
        at = differing[0]
        return (f"{name}: {differing.size} of {wanted.size} elements differ; element {at} is {got.ravel()[at]}, "
                f"not {wanted.ravel()[at]}")
    allowed = TOLERANCE[str(wanted.dtype)] if tolerance is None else tolerance
    wide = numpy.complex128 if wanted.dtype.kind == "c" else numpy.float64
    got, wanted = got.astype(wide).ravel(), wanted.astype(wide).ravel()
    finite = numpy.isfinite(wanted)
    if not numpy.array_equal(numpy.where(finite, 0, got), numpy.where(finite, 0, wanted), equal_nan=True):
        return f"{name}: infinities or NaNs stand elsewhere"
    scale = numpy.abs(wanted[finite]).max(initial=0.0)
    distance = numpy.where(finite, numpy.abs(got - numpy.where(finite, wanted, 0)), 0)
    at = int(numpy.argmax(distance))
    if not distance[at] <= allowed * scale:
        return (f"{name}: element {at} is {got[at]:.9g}, not {wanted[at]:.9g}; that is {distance[at] / (scale or 1):.3g} of "
                f"the largest value, {allowed:.3g} is allowed; so for {numpy.count_nonzero(distance > allowed * scale)} of "
                f"{got.size} elements")
    return None


def errors(got_path, wanted_path, tolerances=None):
    got, wanted = read(got_path), read(wanted_path)
    found = [f"{name} is not among the results" for name in wanted if name not in got]
    found += [f"{name} is no result of the CPU backend" for name in got if name not in wanted]
    found += [error_of(name, got[name], wanted[name], (tolerances or {}).get(name)) for name in wanted if name in got]
    return [error for error in found if error]
