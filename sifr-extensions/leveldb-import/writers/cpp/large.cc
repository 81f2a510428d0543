// large DIRECTORY FILE ENTRIES: writes entries in random order to a LevelDB directory, and the same as
// lines of tab-separated values to a file. Keys have 20 bytes, values 1 to 200 letters.
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const long entries = std::atol(argv[3]);
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 20;
  leveldb::DB* db = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, argv[1], &db);
  std::ofstream out(argv[2]);
  std::mt19937_64 draw(7);
  leveldb::WriteBatch batch;
  for (long i = 1; status.ok() && i <= entries; i++) {
    char key[32];
    // An odd factor gives each number once, in an order that looks random.
    unsigned long number = static_cast<unsigned long>(i) * 0x9e3779b97f4a7c15UL;
    std::snprintf(key, sizeof key, "%020lu", number);
    std::string value;
    for (size_t length = 1 + draw() % 200; value.size() < length;) {
      unsigned long letters = draw();
      for (int j = 0; j < 12 && value.size() < length; j++, letters >>= 5) {
        value.push_back(static_cast<char>('A' + (letters & 31)));
      }
    }
    batch.Put(key, value);
    out << key << '\t' << value << '\n';
    if (i % 1000 == 0 || i == entries) {
      status = db->Write(leveldb::WriteOptions(), &batch);
      batch.Clear();
    }
  }
  delete db;
  if (!status.ok()) std::cerr << status.ToString() << std::endl;
  return status.ok() && out.flush() ? 0 : 1;
}
