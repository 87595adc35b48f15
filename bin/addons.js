// Machine code that came in one file with the program. The system loads it from files alone, so each piece becomes one without a name,
// which is gone with its descriptor.
const { closeSync, constants, openSync, unlinkSync, writeSync } = require('node:fs');
const { join } = require('node:path');

// <fcntl.h> of Linux: __O_TMPFILE | O_DIRECTORY. Node has no name for it.
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

/**
 * @param {string} name @param {number} number another one for each addon @param {Uint8Array} bytes
 * @throws Error that names each folder that was tried and what was wrong there
 */
function loadAddon(name, number, bytes) {
  const failures = [];
  const { tmpdir } = require('node:os');
  for (const folder of new Set([process.env.XDG_RUNTIME_DIR || '/dev/shm', '/dev/shm', tmpdir()])) {
    let descriptor;
    try {
      descriptor = openNameless(folder);
      writeAll(descriptor, bytes);
      const module = { exports: {} };
      // The loader of the system knows what it has loaded by its path, and descriptors get the numbers of those closed before them: two
      // addons under one path would be the first of them twice.
      process.dlopen(module, `/proc/self/${'./'.repeat(number)}fd/${descriptor}`);
      return module.exports;
    } catch (error) {
      failures.push(`  ${folder}: ${reasonOf(error)}`);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
  const step = failures.every((failure) => failure.endsWith(noProc))
    ? 'Mount it: mount -t proc proc /proc'
    : 'Name a folder where programs may run: TMPDIR=/path/of/a/folder';
  throw new Error(
    `The part ${name} of this program is machine code, and no folder lets it be loaded:\n${failures.join('\n')}\n${step}`,
  );
}

/** A file that nobody else finds, also where the file system makes none without a name. */
function openNameless(folder) {
  try {
    return openSync(folder, O_TMPFILE | constants.O_RDWR, 0o600);
  } catch (error) {
    if (!['EOPNOTSUPP', 'EISDIR', 'EINVAL'].includes(error.code)) throw error;
  }
  // Few commands come here, and loading it takes as long as all of their own code.
  const { randomBytes } = require('node:crypto');
  const file = join(folder, `.conclave-${randomBytes(12).toString('hex')}`);
  const descriptor = openSync(file, 'wx+', 0o600);
  unlinkSync(file);
  return descriptor;
}

function writeAll(descriptor, bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

const noProc = 'there is no /proc to load it through';

const reasons = {
  EACCES: 'this user may not write there',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  EROFS: 'it is read-only',
};

function reasonOf(error) {
  if (error.code !== 'ERR_DLOPEN_FAILED') return reasons[error.code] ?? error.message;
  const [, reason = error.message] = /^\/proc\/\S+: (.*)$/s.exec(error.message) ?? [];
  if (/failed to map segment/.test(reason)) return 'programs may not run from there (noexec)';
  return /cannot open shared object/.test(reason) ? noProc : reason;
}

module.exports = { loadAddon };
