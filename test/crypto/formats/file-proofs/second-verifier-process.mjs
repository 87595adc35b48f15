import { fileURLToPath } from 'node:url';

// Runs the verifier of scripts/ once for each message, as its own process would: so many runs take no time to start.
const program = fileURLToPath(new URL('../../../../scripts/verify-file-proof.mjs', import.meta.url));
let runs = 0;

process.on('message', async (args) => {
  const lines = [];
  Object.assign(console, { log: (line) => void lines.push(line) });
  process.argv.splice(2, process.argv.length, ...args);
  process.exitCode = 0;
  await import(`${program}?${(runs += 1)}`);
  process.send({ exitCode: process.exitCode, said: lines.join('\n') });
});
