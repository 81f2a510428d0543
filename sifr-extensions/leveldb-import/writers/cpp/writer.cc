// writer write DIRECTORY OPERATIONS, writer read DIRECTORY FILE
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

static void check(const leveldb::Status& status) {
  if (!status.ok()) {
    std::cerr << status.ToString() << std::endl;
    std::exit(1);
  }
}

static std::string bytes(const std::string& digits) {
  std::string out;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return out;
}

static void digits(std::ostream& out, const leveldb::Slice& slice) {
  static const char* kDigits = "0123456789abcdef";
  for (size_t i = 0; i < slice.size(); i++) {
    unsigned char c = static_cast<unsigned char>(slice[i]);
    out << kDigits[c >> 4] << kDigits[c & 15];
  }
}

static void add(leveldb::WriteBatch* batch, const std::string& line) {
  size_t space = line.find(' ', 2);
  if (line[0] == 'P') {
    batch->Put(bytes(line.substr(2, space - 2)), bytes(line.substr(space + 1)));
  } else {
    batch->Delete(bytes(line.substr(2)));
  }
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::string mode = argv[1];
  std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options;
  options.create_if_missing = mode == "write";
  options.filter_policy = filter.get();
  options.write_buffer_size = 1 << 20;
  leveldb::DB* opened = nullptr;
  check(leveldb::DB::Open(options, argv[2], &opened));
  std::unique_ptr<leveldb::DB> db(opened);
  if (mode == "read") {
    std::ofstream out(argv[3]);
    std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      digits(out, it->key());
      out << ' ';
      digits(out, it->value());
      out << '\n';
    }
    check(it->status());
    return 0;
  }
  std::ifstream in(argv[3]);
  std::string line;
  long done = 0;
  while (std::getline(in, line)) {
    leveldb::WriteBatch batch;
    if (line[0] == 'B') {
      for (int left = std::stoi(line.substr(2)); left > 0 && std::getline(in, line); left--) {
        add(&batch, line);
      }
    } else {
      add(&batch, line);
    }
    check(db->Write(leveldb::WriteOptions(), &batch));
    if (++done % 200 == 0) std::cout << done << std::endl;
  }
  db.reset();
  std::cout << "closed" << std::endl;
  return 0;
}
