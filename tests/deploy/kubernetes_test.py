#!/usr/bin/env python3
"""The manifests are what Kubernetes' schema allows, strictly; what a JobSet holds are Jobs. Flags in them are flags of the programs.

Usage: kubernetes_test.py SOURCE BUILD. Exit status 77: the schema is not to be had (PyPI: kubernetes-validate, with its schemas).
"""
import pathlib
import re
import subprocess
import sys
import venv

VALIDATE = "kubernetes-validate==1.37.0"
JOBSET = {"network", "successPolicy", "failurePolicy", "replicatedJobs"}


def environment(folder):
    """The Python of a virtual environment that has the schema, or None."""
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        if subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                           "--retries=1", "--timeout=15", VALIDATE]).returncode:
            return None
        (folder / "complete").touch()
    return python


def jobs_of(document):
    """Kubernetes' own part of a JobSet: a Job for each that it makes."""
    assert set(document["spec"]) == JOBSET, f"spec of the JobSet: {set(document['spec']) ^ JOBSET}"
    for job in document["spec"]["replicatedJobs"]:
        assert set(job) == {"name", "replicas", "template"}, f"{job['name']}: {set(job)}"
        yield {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": job["name"]}, **job["template"]}


def containers(document):
    spec = document.get("spec", {}).get("template", {}).get("spec", {})
    return spec.get("containers", [])


def check(source, build):
    import kubernetes_validate
    import yaml
    count = 0
    for path in sorted((source / "deploy" / "kubernetes").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            for part in jobs_of(document) if document["kind"] == "JobSet" else [document]:
                kubernetes_validate.validate(part, "1.37", strict=True)
                count += 1
                for container in containers(part):
                    program = container["command"][0]
                    names = [program] if program == "podium" else [program, program.replace("-host", "-worker")]
                    known = "".join(subprocess.run([build / "bin" / name, "--help"], stdout=subprocess.PIPE, text=True).stdout
                                    for name in names)
                    for flag in re.findall(r"^(--[a-z-]+)=", "\n".join(container.get("args", [])), re.M):
                        assert flag + "=" in known, f"{path.name}: {program} has no {flag}"
    print(f"{count} resources are as the schema of Kubernetes 1.37 has them")


def main():
    source, build = map(pathlib.Path, sys.argv[1:3])
    if sys.argv[3:] == ["inside"]:
        return check(source, build)
    python = environment(build / "kubernetes-validate")
    if python is None:
        print(f"skipped: {VALIDATE} cannot be had from PyPI")
        sys.exit(77)
    sys.exit(subprocess.run([python, "-B", __file__, source, build, "inside"]).returncode)


main()
