/**
 * The program of a thread. It is a string because a separate file would have to survive bundling. It needs only Node. Messages are [what,
 * job, ...]; each but `close` is answered, in order, by [value] or [undefined, error].
 *
 * `add` adds bytes to the hash of a job; the answer is the bytes, because a thread that does little else collects its garbage late: it kept
 * 60 MB of them. `open` reads slots of a file, decrypts them and moves them together. Slots that don't open, or aren't there, are undefined. `digest` answers the hash. `begin`,
 * `seal` and `end` encrypt a content to a file, as `ThreadJob` says; pieces of it are freed at once.
 */
export const threadProgram = `
const { MessageChannel, parentPort } = require('node:worker_threads');
const { createCipheriv, createDecipheriv, createHash } = require('node:crypto');
const { readSync, writeSync } = require('node:fs');
const hashes = new Map();
const sealings = new Map();
// What is transferred to a closed port is freed at once.
const { port1: nowhere } = new MessageChannel();
nowhere.close();
// Ciphertext that is not hashed and written yet. A message is answered when there is none.
const room = Buffer.allocUnsafeSlow(256 * 1024);
let filled = 0;
const flush = (one) => {
  one.hash.update(room.subarray(0, filled));
  for (let done = 0; done < filled;) done += writeSync(one.fd, room, done, filled - done);
  one.size += filled;
  filled = 0;
};
const put = (one, bytes) => {
  if (filled + bytes.length > room.length) flush(one);
  room.set(bytes, filled);
  filled += bytes.length;
};
const beginSegment = (one, nonce) => {
  one.cipher = createCipheriv('aes-256-gcm', one.key, nonce, { authTagLength: one.tagBytes });
  one.left = one.segmentBytes;
};
const endSegment = (one) => {
  one.cipher.final();
  put(one, one.cipher.getAuthTag());
  one.cipher = undefined;
};
const seal = (one, piece, nonces) => {
  for (const hash of one.checksums) hash.update(piece);
  for (let at = 0; at < piece.length;) {
    if (one.cipher === undefined) beginSegment(one, nonces.next().value);
    const taken = Math.min(one.left, piece.length - at);
    put(one, one.cipher.update(piece.subarray(at, at + taken)));
    at += taken;
    one.left -= taken;
    if (one.left === 0) endSegment(one);
  }
};
const eachNonce = function* (nonces) {
  for (let at = 0; at < nonces.length; at += 12) yield nonces.subarray(at, at + 12);
};
// What a sealing that failed is asked afterwards fails in the same way.
const sealing = (job, work) => {
  const one = sealings.get(job);
  if (one.failure) throw one.failure;
  try {
    const value = work(one);
    flush(one);
    return value;
  } catch (error) {
    filled = 0;
    one.failure = error;
    throw error;
  }
};
const hashOf = (job) => {
  const hash = hashes.get(job) ?? createHash('sha3-512');
  hashes.set(job, hash);
  return hash;
};
const read = ({ fd, start, end }) => {
  // Memory of its own, because it is transferred.
  const bytes = Buffer.allocUnsafeSlow(end - start);
  for (let done = 0; done < bytes.length;) {
    const count = readSync(fd, bytes, done, bytes.length - done, start + done);
    if (count === 0) return undefined;
    done += count;
  }
  return bytes;
};
const open = (bytes, { key, nonces, segmentBytes, tagBytes }) => {
  let length = 0;
  let at = 0;
  for (const nonce of eachNonce(nonces)) {
    const end = Math.min(at + segmentBytes, bytes.length - tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(end, end + tagBytes));
    bytes.set(decipher.update(bytes.subarray(at, end)), length);
    decipher.final();
    length += end - at;
    at = end + tagBytes;
  }
  return bytes.subarray(0, length);
};
const does = {
  add(job, bytes) {
    hashOf(job).update(bytes);
    return bytes;
  },
  digest(job) {
    const digest = hashOf(job).digest('hex');
    hashes.delete(job);
    return digest;
  },
  open(job, place, slots) {
    const bytes = read(place);
    if (bytes === undefined) return undefined;
    try {
      return open(bytes, slots);
    } catch {
      bytes.fill(0);
      return undefined;
    }
  },
  begin(job, { header, checksums, ...rest }) {
    const hash = createHash('sha3-512');
    sealings.set(job, { ...rest, hash, checksums: checksums.map((name) => createHash(name)), size: 0 });
    sealing(job, (one) => put(one, header));
  },
  seal(job, pieces, nonces) {
    const each = eachNonce(nonces);
    sealing(job, (one) => pieces.forEach((piece) => seal(one, piece, each)));
    nowhere.postMessage(undefined, pieces.map(({ buffer }) => buffer));
  },
  end(job, nonce) {
    sealing(job, (one) => {
      if (one.cipher === undefined) beginSegment(one, nonce);
      endSegment(one);
    });
    const { hash, size, checksums } = sealings.get(job);
    sealings.delete(job);
    return { id: hash.digest('hex'), size, checksums: checksums.map((one) => one.digest()) };
  },
};
parentPort.on('message', ([what, job, ...parameters]) => {
  if (what === 'close') {
    hashes.delete(job);
    sealings.delete(job);
    return;
  }
  try {
    const value = does[what](job, ...parameters);
    parentPort.postMessage([value], value instanceof Uint8Array ? [value.buffer] : []);
  } catch ({ message, code, syscall, errno }) {
    parentPort.postMessage([undefined, { message, code, syscall, errno }]);
  }
});
`;
