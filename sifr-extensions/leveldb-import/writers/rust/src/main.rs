//! writers LIBRARY write DIRECTORY OPERATIONS, writers LIBRARY read DIRECTORY FILE
//!
//! WRITE_BUFFER in the environment is how many bytes make a table; 1 MiB without.
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

type Done<T> = Result<T, Box<dyn Error>>;

/// A value, or none for a deletion.
type Operation = (Vec<u8>, Option<Vec<u8>>);

trait Writer {
    fn write(&mut self, operations: Vec<Operation>) -> Done<()>;
    fn read(&mut self, each: &mut dyn FnMut(&[u8], &[u8]) -> Done<()>) -> Done<()>;
    fn close(&mut self) -> Done<()>;
}

struct Rusty(rusty_leveldb::DB);

impl Writer for Rusty {
    fn write(&mut self, operations: Vec<Operation>) -> Done<()> {
        let mut batch = rusty_leveldb::WriteBatch::default();
        for (key, value) in operations {
            match value {
                Some(value) => batch.put(&key, &value),
                None => batch.delete(&key),
            }
        }
        Ok(self.0.write(batch, false)?)
    }

    fn read(&mut self, each: &mut dyn FnMut(&[u8], &[u8]) -> Done<()>) -> Done<()> {
        use rusty_leveldb::LdbIterator;
        let mut iterator = self.0.new_iter()?;
        while let Some((key, value)) = iterator.next() {
            each(&key, &value)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Done<()> {
        Ok(self.0.close()?)
    }
}

struct Bedrock(bedrock_leveldb::Db);

impl Writer for Bedrock {
    fn write(&mut self, operations: Vec<Operation>) -> Done<()> {
        let mut batch = bedrock_leveldb::WriteBatch::new();
        for (key, value) in operations {
            match value {
                Some(value) => batch.put(key, value),
                None => batch.delete(key),
            }
        }
        Ok(self.0.write(batch, Default::default())?)
    }

    fn read(&mut self, each: &mut dyn FnMut(&[u8], &[u8]) -> Done<()>) -> Done<()> {
        let mut entries = std::collections::BTreeMap::new();
        self.0.for_each_entry(Default::default(), |key, value| {
            entries.insert(key.to_vec(), value.to_vec());
            Ok(bedrock_leveldb::VisitorControl::Continue)
        })?;
        for (key, value) in &entries {
            each(key, value)?;
        }
        Ok(())
    }

    /// Of itself it keeps less than a write buffer in the log.
    fn close(&mut self) -> Done<()> {
        Ok(self.0.flush()?)
    }
}

fn open(library: &str, directory: &str) -> Done<Box<dyn Writer>> {
    let write_buffer_size = match std::env::var("WRITE_BUFFER") {
        Ok(bytes) => bytes.parse()?,
        Err(_) => 1 << 20,
    };
    if library == "rusty-leveldb" {
        let options = rusty_leveldb::Options {
            create_if_missing: true,
            write_buffer_size,
            ..Default::default()
        };
        return Ok(Box::new(Rusty(rusty_leveldb::DB::open(directory, options)?)));
    }
    let options = bedrock_leveldb::OpenOptions { write_buffer_size, ..Default::default() };
    Ok(Box::new(Bedrock(bedrock_leveldb::Db::open(directory, options)?)))
}

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn operation(line: &str) -> Operation {
    let fields: Vec<&str> = line.split(' ').collect();
    (bytes(fields[1]), if fields[0] == "P" { Some(bytes(fields[2])) } else { None })
}

fn main() -> Done<()> {
    let args: Vec<String> = std::env::args().collect();
    let mut db = open(&args[1], &args[3])?;
    if args[2] == "read" {
        let mut out = BufWriter::new(File::create(&args[4])?);
        db.read(&mut |key, value| Ok(writeln!(out, "{} {}", digits(key), digits(value))?))?;
        out.flush()?;
        return db.close();
    }
    let mut lines = BufReader::new(File::open(&args[4])?).lines();
    let mut done = 0;
    while let Some(line) = lines.next() {
        let line = line?;
        let mut operations = Vec::new();
        if let Some(count) = line.strip_prefix("B ") {
            for _ in 0..count.parse::<usize>()? {
                operations.push(operation(&lines.next().unwrap()?));
            }
        } else {
            operations.push(operation(&line));
        }
        db.write(operations)?;
        done += 1;
        if done % 200 == 0 {
            println!("{done}");
        }
    }
    db.close()?;
    drop(db);
    println!("closed");
    Ok(())
}
