#!/usr/bin/env node
// A second verifier of proofs about files, for those who trust neither the node nor its program. It uses nothing but Node itself:
//
//   node verify-file-proof.mjs PROOF [--key LOGKEY] [--witness KEY] [--checkpoint FILE] [--entries FILE] [--receipt RECEIPT]
//
// Exit code 0: valid, 1: not valid, 2: not decided. docs/client-authors.md describes the format.
import { createHash, createPublicKey, ECDH, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const need = (ok, reason) => {
  if (!ok) throw new Error(reason);
};
const digest = (algorithm, parts) =>
  createHash(algorithm).update(Buffer.concat(parts.map((part) => Buffer.from(part))));
const sha256 = (...parts) => digest('sha256', parts).digest();
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
function decoded(text, encoding, length) {
  const bytes = Buffer.from(text, encoding);
  const isExact = bytes.toString(encoding) === text && bytes.length === (length ?? bytes.length);
  need(isExact, `form: something is not ${encoding}`);
  return bytes;
}
const hex = (text, length = 32) => decoded(text, 'hex', length);
const base64 = (text) => decoded(text, 'base64');
const timeOf = (text) => (new Date(text).toISOString() === text ? Date.parse(text) : Number.NaN);
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

// RFC 6962
const leaf = (data) => sha256([0], data);
const node = (left, right) => sha256([1], left, right);
function rootOf(leaves) {
  const peaks = [];
  for (const [index, hash] of leaves.entries()) {
    let [top, rest] = [hash, index];
    for (; rest % 2 === 1; rest = (rest - 1) / 2) top = node(peaks.pop(), top);
    peaks.push(top);
  }
  return peaks.length === 0 ? sha256() : peaks.reduceRight((right, left) => node(left, right));
}
function rootBy(index, size, hash, path) {
  need(path.length > 0 === size > 1, 'form: a Merkle path has another length');
  if (size === 1) return hash;
  const [left, rest, last] = [2 ** Math.floor(Math.log2(size - 1)), path.slice(0, -1), hex(path.at(-1))];
  if (index < left) return node(rootBy(index, left, hash, rest), last);
  return node(last, rootBy(index - left, size - left, hash, rest));
}
const isIn = (index, size, hash, path, root) =>
  isCount(index) && index < size && rootBy(index, size, hash, path).equals(root);

// Signatures, and C2SP signed notes and checkpoints
const spki = (prefix, key) =>
  createPublicKey({ key: Buffer.concat([Buffer.from(prefix, 'hex'), key]), format: 'der', type: 'spki' });
const isEd25519 = (key, text, by) => verify(null, Buffer.from(text), spki('302a300506032b6570032100', key), by);
const full = (nodeKey) => ECDH.convertKey(nodeKey, 'secp256k1', undefined, undefined, 'uncompressed');
const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');
function isByNode(nodeKey, text, signature) {
  const key = spki('3056301006072a8648ce3d020106052b8104000a034200', full(nodeKey));
  const isLow = signature.length === 64 && signature.subarray(32).compare(halfOrder) <= 0;
  return isLow && verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
}
function parseKey(text, type) {
  const [, name, id, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? [];
  need(name !== undefined, 'log key: it is malformed');
  const bytes = base64(encoded);
  const keyId = sha256(`${name}\n`, bytes).subarray(0, 4);
  need(bytes.length === 33 && bytes[0] === type && keyId.toString('hex') === id, 'log key: it is malformed');
  return { name, keyId, key: bytes.subarray(1) };
}
function parseNote(note) {
  const end = note.lastIndexOf('\n\n');
  const [text, lines] = [note.slice(0, end + 1), note.slice(end + 2).split('\n')];
  need(end > 0 && lines.pop() === '', 'form: the checkpoint is no signed note');
  const signatures = lines.map((line) => {
    const [, name, encoded] = /^\u2014 (\S+) (\S+)$/u.exec(line) ?? [];
    need(name !== undefined, 'form: the checkpoint is no signed note');
    return { name, keyId: base64(encoded).subarray(0, 4), signature: base64(encoded).subarray(4) };
  });
  const [origin, size, root] = text.split('\n');
  need(/^(0|[1-9]\d{0,15})$/.test(size), 'form: the checkpoint has no size');
  return { text, signatures, origin, size: Number(size), root: base64(root) };
}
function isSignedBy(note, name, keyId, check) {
  const signed = note.signatures.filter((one) => one.name === name && one.keyId.equals(keyId));
  return signed.length > 0 && signed.every(({ signature }) => check(signature));
}
const isByLog = (note, { name, keyId, key }) =>
  note.origin === name && isSignedBy(note, name, keyId, (signature) => isEd25519(key, note.text, signature));
function isByWitness(note, text) {
  const { name, keyId, key } = parseKey(text, 4);
  return isSignedBy(note, name, keyId, (signature) => {
    const said = `cosignature/v1\ntime ${signature.readBigUInt64BE(0)}\n${note.text}`;
    return isEd25519(key, said, signature.subarray(8));
  });
}
function readEntry(text, index) {
  const entry = JSON.parse(text);
  need(canonical(entry) === text && entry.v === 1 && entry.index === index, `entry: ${index} is another one`);
  need(timeOf(entry.time) > 0, 'entry: it has no time');
  return entry;
}
function checkNode(note, { index, entry, proof }, logKey) {
  need(isIn(index, note.size, leaf(entry), proof, note.root), 'node identity: its entry is not in the log');
  const { type, time, data } = readEntry(entry, index);
  const { logSignature, nodeSignature, ...said } = data;
  const nodeKey = hex(said.nodeKey, 33);
  const nodeId = sha256(full(nodeKey)).subarray(0, 20).toString('hex');
  const isNamed = new RegExp(`^conclave/${nodeId}(/[0-9a-f]{16})?$`).test(said.origin) && said.nodeId === nodeId;
  const log = parseKey(logKey, 1);
  const bytes = `conclave/ledger-genesis/v1\n${canonical({ ...said, time })}`;
  const isTrue = isEd25519(log.key, bytes, hex(logSignature, 64)) && isByNode(nodeKey, bytes, hex(nodeSignature, 64));
  const isGenesis = type === 'LOG_GENESIS' && said.logKey === logKey && log.name === said.origin;
  need(isGenesis && isNamed && isTrue, 'node identity: the entry about the log key is wrong');
  const keyId = sha256(`${log.name}\n`, [0xff], 'conclave/secp256k1-node-identity/v1\n', nodeKey).subarray(0, 4);
  const check = (signature) => isByNode(nodeKey, `conclave/ledger-checkpoint/v1\n${note.text}`, signature);
  need(isSignedBy(note, log.name, keyId, check), 'node identity: the node did not sign the checkpoint');
  return { nodeKey, nodeId };
}

const isSet = (bytes, bit) => (bytes[Math.floor(bit / 8)] & (0x80 >> (bit % 8))) !== 0;
function bitsOf(tag, salt, bits) {
  return Array.from({ length: 30 }, (_, j) => {
    const word = digest('sha512', [salt, tag, [Math.floor(j / 8)]]).digest();
    return Number(word.readBigUInt64BE((j % 8) * 8) % BigInt(bits));
  });
}

const common = 'blockHeight chainId checkpoint entry fileId fileTag genesis inclusionProof logKey signature';
const ofFilter = 'bloomWitness merkleProof merkleRoot timestamp';
const shapes = {
  'non-access': ['verificationBundle', ofFilter, `${common} asOf coversTo ledgerEntryHash`],
  destruction: ['certificate', 'ledgerEntryHash merkleRoot', `${common} leaves statement`],
};

function verifyProof(text, { key, witness, checkpoint, entries, receipt }, missing) {
  const file = JSON.parse(text);
  const [place, ofProof, ofBundle] = shapes[file.kind] ?? [];
  const hasOnly = (value, names) => canonical(Object.keys(value).sort()) === canonical(names.split(' ').toSorted());
  const isForm = `${canonical(file)}\n` === text && hasOnly(file, `format kind proof ${place}`);
  const { proof, [place]: bundle } = file;
  need(isForm && hasOnly(proof, ofProof) && hasOnly(bundle, ofBundle), 'form: it is not the one form of such a proof');
  need(file.format === 'conclave/file-proof@v1', 'form: the format is another one');
  const note = parseNote(bundle.checkpoint);
  need((key ?? bundle.logKey) === bundle.logKey, 'log key: it is not the one that you know');
  need(sha256(bundle.logKey).toString('hex') === bundle.chainId, 'log key: the proof names another chain');
  const log = parseKey(bundle.logKey, 1);
  need(isByLog(note, log), 'log signature: the checkpoint is not signed by this key');
  const { nodeKey, nodeId } = checkNode(note, bundle.genesis, bundle.logKey);
  const { signature, ...signed } = bundle;
  const bytes = `conclave/file-proof/v1\n${canonical({ ...file, [place]: signed })}`;
  need(isByNode(nodeKey, bytes, hex(signature, 64)), 'signature: the node did not sign this proof');
  need(witness === undefined || isByWitness(note, witness), 'witnesses: this one has not cosigned');
  const hash = leaf(bundle.entry);
  const { blockHeight, inclusionProof } = bundle;
  need(isIn(blockHeight, note.size, hash, inclusionProof, note.root), 'inclusion: the entry is not in the ledger');
  need(hex(bundle.ledgerEntryHash ?? proof.ledgerEntryHash).equals(hash), 'entry hash: it is that of another entry');
  const entry = readEntry(bundle.entry, blockHeight);
  (file.kind === 'destruction' ? checkInventory : checkFilter)(proof, bundle, entry, note);
  const older = checkpoint === undefined ? undefined : parseNote(checkpoint);
  need(older === undefined || isByLog(older, log), 'history: this log did not sign your checkpoint');
  if (older?.size === note.size) need(older.root.equals(note.root), 'history: the node signed two different ledgers');
  else if (older !== undefined && entries === undefined)
    missing.push('Your checkpoint has another size: give --entries.');
  if (entries !== undefined) checkEntries(entries, file, entry, note, older, missing);
  if (receipt !== undefined) checkReceipt(receipt, bundle, nodeKey, missing);
  const what = `by ${bundle.logKey} of node ${nodeId}, entry ${blockHeight} of ${entry.time}, file ${bundle.fileId}:`;
  if (file.kind === 'destruction') return `${what} ${bundle.statement}`;
  return `${what} no access to it is among the first ${bundle.coversTo} entries, until ${bundle.asOf}.`;
}
function checkInventory({ merkleRoot }, { leaves, fileId, fileTag }, { type, data, tags }) {
  need(type === 'FILE_DESTROYED' && data.inventory === merkleRoot, 'destroyed: the entry says something else');
  need(rootOf(leaves.map((one) => hex(one))).equals(hex(merkleRoot)), 'inventory: the leaves have another root');
  const isFirst = leaf(canonical({ kind: 'file', id: fileId })).toString('hex') === leaves[0];
  need(isFirst && tags.file === fileTag, 'file: the inventory is that of another file');
}
function checkFilter(proof, bundle, { type, time, data, index }, { size }) {
  const { merkleRoot, merkleProof, bloomWitness, timestamp } = proof;
  const { m, k, salt, coversTo, count, asOf } = data;
  const isFilter = type === 'ACCESS_FILTER' && data.merkleRoot === merkleRoot && k === 30 && isCount(count);
  need(isFilter && isCount(coversTo) && coversTo <= index, 'filter: the entry does not commit to this filter');
  need(Number.isInteger(Math.log2(m)) && m >= 2 ** 13 && m <= 2 ** 40, 'filter: it has an impossible size');
  need(timestamp === time, 'timestamp: it is not the time of the entry');
  const witness = hex(bloomWitness, 91);
  const [bits, bit, place] = [2, 43, 51].map((from) => Number(witness.readBigUInt64BE(from)));
  const isSame = witness[0] === 1 && witness[1] === k && bits === m && witness.subarray(10, 42).equals(hex(salt));
  need(isSame, 'witness: it is one of another filter');
  const chunk = witness.subarray(59);
  need(isIn(place, m / 256, leaf(chunk), merkleProof, hex(merkleRoot)), 'chunk: it is not in the filter');
  need(bitsOf(hex(bundle.fileTag), hex(salt), m)[witness[42]] === bit, 'file: the bit is not one of the file');
  need(Math.floor(bit / 256) === place && !isSet(chunk, bit % 256), 'bit: it is not 0');
  const isCover = bundle.coversTo >= coversTo && bundle.coversTo <= size && timeOf(bundle.asOf) >= timeOf(asOf);
  need(isCover, 'cover: it covers less than the filter, or more than the ledger');
}
function checkEntries(text, { kind, proof, verificationBundle: bundle }, { data, tags }, note, older, missing) {
  const lines = text.trimEnd().split('\n');
  if (lines.length < Math.max(note.size, older?.size ?? 0)) missing.push(`There are only ${lines.length} entries.`);
  if (lines.length < note.size) return;
  const all = lines.map((line, index) => readEntry(line, index));
  for (const { size, root } of [note, ...(older?.size <= lines.length ? [older] : [])])
    need(rootOf(lines.slice(0, size).map(leaf)).equals(root), 'entries: they are not those of this ledger');
  if (kind === 'destruction') return;
  const accessed = new Set();
  for (const entry of all.slice(0, bundle.coversTo)) {
    if (entry.type !== 'FILE_ACCESS' || entry.tags.container !== tags.container) continue;
    need(entry.tags.file !== bundle.fileTag, `accesses: contradiction, entry ${entry.index} is an access to the file`);
    accessed.add(entry.tags.file);
  }
  need(data.m <= Math.max(2 ** 13, 88 * accessed.size), 'accesses: the filter is larger than that of so many files');
  const bytes = Buffer.alloc(data.m / 8);
  for (const tag of accessed)
    for (const bit of bitsOf(hex(tag), hex(data.salt), data.m)) bytes[Math.floor(bit / 8)] |= 0x80 >> (bit % 8);
  const chunks = Array.from({ length: data.m / 256 }, (_, place) => leaf(bytes.subarray(32 * place, 32 * place + 32)));
  need(rootOf(chunks).equals(hex(proof.merkleRoot)), 'accesses: the filter is not that of the recorded accesses');
}
function checkReceipt(text, { fileId, asOf }, nodeKey, missing) {
  const [, receipt, time, signature] = /^v1\.([0-9a-f]{64})\.([^.]+\.\d{3}Z)\.([0-9a-f]{128})$/.exec(text.trim()) ?? [];
  const bytes = ['conclave/filevault/access-receipt/v1', receipt, fileId, time].join('\n');
  const isReceipt = asOf !== undefined && receipt !== undefined && isByNode(nodeKey, bytes, hex(signature, 64));
  if (!isReceipt) missing.push('The receipt is not one that this node signed for this file.');
  else need(timeOf(time) > timeOf(asOf), `receipt: contradiction, the node signed both, the access at ${time}`);
}

// What a proof says must not move the cursor of a terminal, or turn the direction of a line.
const say = (text) => console.log(text.replace(/[^\n\P{C}]|[\u2028\u2029]/gu, '?'));
const names = ['key', 'witness', 'checkpoint', 'entries', 'receipt'];
const missing = [];
let [given, proof] = [{}];
try {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  given = values;
  need(positionals.length === 1, 'Name one file with a proof.');
  for (const name of ['checkpoint', 'entries']) if (given[name]) given[name] = readFileSync(given[name], 'utf8');
  proof = readFileSync(positionals[0], 'utf8');
  const proven = verifyProof(proof, given, missing);
  say(`${missing.length > 0 ? 'Not decided.' : 'Valid.'}\nProven: ${proven}\n${missing.join('\n')}`);
  process.exitCode = missing.length > 0 ? 2 : 0;
} catch (error) {
  process.exitCode = proof === undefined ? 2 : 1;
  say(`${proof === undefined ? 'Not decided' : 'Not valid'}. ${error.message}`);
}
say(`Not proven: that nobody read or kept the file without a record; that no copy of keys was kept; anything after
the time that is covered; that the clock of the node is right${given.key ? '' : '; that the log key is the one you expect'}.`);
