// One of the soak's clients: grpc-js, nothing of ours but the .proto files.
//
// Usage: node client.js ADDRESS SECONDS SEED PROTO TOKEN_FILE
// Prints how many values it has checked; ends with 1 when something was wrong.
const fs = require("fs");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [address, seconds, seed, proto, tokenFile] = process.argv.slice(2);
const waitMs = 120000;
const text = Buffer.from(`
module @soak_js {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<64xi32> {
    %0 = stablehlo.negate %arg0 : tensor<64xi32>
    return %0 : tensor<64xi32>
  }
}
`);

const definition = loader.loadSync("podium/v1/podium.proto", {
  includeDirs: [proto], keepCase: true, longs: String, enums: String, defaults: true, oneofs: true,
});
const podium = new (grpc.loadPackageDefinition(definition).podium.v1.Podium)(address, grpc.credentials.createInsecure());
const metadata = new grpc.Metadata();
metadata.set("authorization", "Bearer " + fs.readFileSync(tokenFile, "utf8").trim());
const options = () => ({ deadline: Date.now() + waitMs });

const unary = (method, request) => new Promise((resolve, reject) =>
  podium[method](request, metadata, options(), (error, reply) => error ? reject(error) : resolve(reply)));
const upload = (method, ...requests) => new Promise((resolve, reject) => {
  const call = podium[method](metadata, options(), (error, reply) => error ? reject(error) : resolve(reply));
  requests.forEach(request => call.write(request));
  call.end();
});
const download = (method, request) => new Promise((resolve, reject) => {
  const messages = [];
  podium[method](request, metadata, options()).on("data", message => messages.push(message)).on("error", reject)
    .on("end", () => resolve(messages));
});

let state = Number(seed) * 2654435761 % 2147483647 || 1;
const draw = below => (state = state * 48271 % 2147483647) % below;

async function useSession() {
  const stream = podium.OpenSession({ client: "soak js", wait_for_pod: true }, metadata);
  stream.on("error", error => { if (error.code !== grpc.status.CANCELLED) throw error; });
  const { session } = await new Promise(resolve => stream.once("data", resolve));
  const { executable } = await upload("Compile", { session, file_name: "soak.mlir", size_bytes: text.length }, { text });
  let checked = 0;
  for (let round = 1 + draw(20); round > 0; round--) {
    const values = Int32Array.from({ length: 64 }, () => draw(1 << 20));
    const { array } = await upload("PutArray", { session, executable }, { data: Buffer.from(values.buffer) });
    const { results } = await unary("Execute", { session, executable, arguments: [array] });
    const data = Buffer.concat((await download("FetchArray", { session, array: results[0] })).slice(1).map(m => m.data));
    values.forEach((value, i) => {
      if (data.readInt32LE(4 * i) !== -value) throw new Error(`element ${i} is ${data.readInt32LE(4 * i)}, not ${-value}`);
    });
    checked += values.length;
    await unary("FreeHandles", { session, arrays: [array, ...results] });
  }
  stream.cancel();
  return checked;
}

(async () => {
  const end = Date.now() + 1000 * Number(seconds);
  let checked = 0;
  while (Date.now() < end) checked += await useSession();
  console.log(checked);
  process.exit(0);
})().catch(error => { console.error(error); process.exit(1); });
