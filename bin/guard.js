// What has to hold before anything else of the program is there.

/** Without a listener Node opens its inspector at SIGUSR1, and whoever reaches that port reads every key of the process. */
function disarmInspector() {
  process.on('SIGUSR1', () => {});
}

/** An output that takes nothing ends the program in one line, and without any where its reader has had enough (`| head`). */
function watchOutputs() {
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`Error: Standard output can't be written: ${reasons[error.code] ?? error.message}\n`);
    process.exit(1);
  });
  // There is nobody left to tell.
  process.stderr.on('error', () => {});
}

const reasons = {
  ENOSPC: 'the disk is full.',
  EIO: 'the disk fails.',
  EBADF: 'it is closed.',
  EROFS: 'the disk is read-only.',
};

module.exports = { disarmInspector, watchOutputs };
