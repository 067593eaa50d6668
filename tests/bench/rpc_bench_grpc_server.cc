// gRPC C++'s server for rpc_bench: an asynchronous unary method (its fastest form) and
// synchronous streams. Prints its address, then serves until it is killed.
//
// Usage: rpc_bench_grpc_server [CERTIFICATE KEY]. With them it speaks TLS.

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "rpc_bench.grpc.pb.h"

namespace {

using bench::Bench;
using bench::Payload;

class Service final : public Bench::WithAsyncMethod_Unary<Bench::Service> {
  grpc::Status Upload(grpc::ServerContext *, grpc::ServerReader<Payload> *reader,
                      Payload *response) override {
    Payload message;
    uint64_t bytes = 0;
    while (reader->Read(&message)) {
      bytes += message.data().size();
    }
    response->set_count(bytes);
    return grpc::Status::OK;
  }

  grpc::Status Download(grpc::ServerContext *, const Payload *request,
                        grpc::ServerWriter<Payload> *writer) override {
    Payload message;
    message.set_data(request->data());
    for (uint64_t i = 0; i < request->count(); i++) {
      writer->Write(message);
    }
    return grpc::Status::OK;
  }
};

// One outstanding acceptance of a unary call, then the call itself.
class UnaryCall {
 public:
  UnaryCall(Service *service, grpc::ServerCompletionQueue *queue)
      : service_(service), queue_(queue), writer_(&context_) {
    service_->RequestUnary(&context_, &request_, &writer_, queue_, queue_, this);
  }

  void Proceed(bool ok) {
    if (!ok || answered_) {
      delete this;
      return;
    }
    new UnaryCall(service_, queue_);
    response_.set_data(request_.data());
    response_.set_count(request_.count());
    answered_ = true;
    writer_.Finish(response_, grpc::Status::OK, this);
  }

 private:
  Service *service_;
  grpc::ServerCompletionQueue *queue_;
  grpc::ServerContext context_;
  Payload request_, response_;
  grpc::ServerAsyncResponseWriter<Payload> writer_;
  bool answered_ = false;
};

std::string Contents(const char *path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char **argv) {
  Service service;
  int port = 0;
  grpc::ServerBuilder builder;
  const std::string host = argc == 3 ? "127.0.0.2" : "127.0.0.1";
  std::shared_ptr<grpc::ServerCredentials> credentials =
      grpc::InsecureServerCredentials();
  if (argc == 3) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({Contents(argv[2]), Contents(argv[1])});
    credentials = grpc::SslServerCredentials(options);
  }
  builder.AddListeningPort(host + ":0", credentials, &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 2);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  std::printf("%s:%d\n", host.c_str(), port);
  std::fflush(stdout);
  for (int i = 0; i < 256; i++) {
    new UnaryCall(&service, queue.get());
  }
  void *tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) {
    static_cast<UnaryCall *>(tag)->Proceed(ok);
  }
  return 0;
}
