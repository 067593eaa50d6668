// A stock gRPC client in JavaScript (@grpc/grpc-js): compiles, puts, executes and fetches on a pod, and prints what came
// back, or the name of the status that it was refused with.
//
// Usage: node stock_pod.js PROTO_FOLDER ADDRESS CA_FILE|- TOKEN|- MODULE_FILE; modules are found by NODE_PATH.
'use strict';
const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [protos, address, authority, token, moduleFile] = process.argv.slice(2);
const WAIT_MS = 60000;

const definition = loader.loadSync(path.join(protos, 'podium/v1/podium.proto'),
                                   {includeDirs: [protos], keepCase: true, longs: String, defaults: true});
const {Podium} = grpc.loadPackageDefinition(definition).podium.v1;

function credentials() {
  if (authority === '-') {
    return grpc.credentials.createInsecure();
  }
  const channel = grpc.credentials.createSsl(fs.readFileSync(authority));
  if (token === '-') {
    return channel;
  }
  return grpc.credentials.combineChannelCredentials(
      channel, grpc.credentials.createFromMetadataGenerator((_, done) => {
        const metadata = new grpc.Metadata();
        metadata.set('authorization', `Bearer ${token}`);
        done(null, metadata);
      }));
}

// Without TLS grpc-js takes no call credentials; the header is its caller's then.
function metadata() {
  const shown = new grpc.Metadata();
  if (authority === '-' && token !== '-') {
    shown.set('authorization', `Bearer ${token}`);
  }
  return shown;
}

const client = new Podium(address, credentials());
const options = () => ({deadline: Date.now() + WAIT_MS});

// Sends all messages; the one response.
function send(method, messages) {
  return new Promise((resolve, reject) => {
    const call = client[method](metadata(), options(), (error, response) => error ? reject(error) : resolve(response));
    messages.forEach(message => call.write(message));
    call.end();
  });
}

function ask(method, message) {
  return new Promise((resolve, reject) => client[method](
      message, metadata(), options(), (error, response) => error ? reject(error) : resolve(response)));
}

function fetchAll(session, array) {
  return new Promise((resolve, reject) => {
    const pieces = [];
    const call = client.FetchArray({session, array}, metadata(), options());
    call.on('data', message => pieces.push(message.data));
    call.on('end', () => resolve(Buffer.concat(pieces)));
    call.on('error', reject);
  });
}

async function main() {
  const stream = client.OpenSession({client: 'grpc-js', wait_for_pod: true}, metadata());
  const session = await new Promise((resolve, reject) => {
    stream.on('data', event => resolve(event.session));
    stream.on('error', reject);
  });
  const text = fs.readFileSync(moduleFile);
  const compiled = await send('Compile', [{session, file_name: 'js.mlir', size_bytes: text.length}, {text}]);
  const values = Float32Array.from({length: 8}, (_, i) => i);
  const array = (await send('PutArray', [
    {session, executable: compiled.executable, argument: 0}, {data: Buffer.from(values.buffer)}])).array;
  const {results} = await ask('Execute', {session, executable: compiled.executable, arguments: [array]});
  const data = await fetchAll(session, results[0]);
  const result = new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
  console.log(JSON.stringify(Array.from(result)));
  stream.on('error', () => {});
  stream.cancel();
  client.close();
}

main().catch(error => {
  console.log(grpc.status[error.code] || error.message);
  process.exitCode = 1;
  client.close();
});
