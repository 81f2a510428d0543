// writer.js LIBRARY write DIRECTORY OPERATIONS, writer.js LIBRARY read DIRECTORY FILE
const fs = require('fs')
const readline = require('readline')

const [library, mode, directory, path] = process.argv.slice(2)

async function openClassicLevel () {
  const { ClassicLevel } = require('classic-level')
  const db = new ClassicLevel(directory, {
    keyEncoding: 'buffer', valueEncoding: 'buffer', writeBufferSize: 1 << 20
  })
  await db.open()
  return {
    write: operations => db.batch(operations),
    entries: () => db.iterator(),
    close: () => db.close()
  }
}

async function openLevelDbZlib () {
  const { LevelDB } = require('leveldb-zlib')
  const db = new LevelDB(directory, { createIfMissing: true, writeBufferSize: 1 << 20 })
  await db.open()
  return {
    write: operations => db.batch(operations),
    entries: () => db.getIterator({ keyAsBuffer: true, valueAsBuffer: true }),
    close: () => db.close()
  }
}

const open = { 'classic-level': openClassicLevel, 'leveldb-zlib': openLevelDbZlib }[library]

function operation (line) {
  const [kind, key, value] = line.split(' ')
  return kind === 'P'
    ? { type: 'put', key: Buffer.from(key, 'hex'), value: Buffer.from(value, 'hex') }
    : { type: 'del', key: Buffer.from(key, 'hex') }
}

async function write (db) {
  let batch = []
  let left = 1
  let done = 0
  for await (const line of readline.createInterface({ input: fs.createReadStream(path) })) {
    if (line.startsWith('B ')) {
      left = parseInt(line.slice(2))
      continue
    }
    batch.push(operation(line))
    if (--left === 0) {
      await db.write(batch)
      batch = []
      left = 1
      if (++done % 200 === 0) fs.writeSync(1, done + '\n')
    }
  }
}

async function read (db) {
  const out = fs.openSync(path, 'w')
  for await (const [key, value] of db.entries()) {
    fs.writeSync(out, Buffer.from(key).toString('hex') + ' ' + Buffer.from(value).toString('hex') + '\n')
  }
  fs.closeSync(out)
}

async function main () {
  const db = await open()
  await (mode === 'write' ? write : read)(db)
  await db.close()
  fs.writeSync(1, 'closed\n')
}

main().catch(e => { console.error(e); process.exit(1) })
