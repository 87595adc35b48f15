import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/** What is done beside the tests gives way to them. */
const BESIDE = 10;

/**
 * Runs a program to its end.
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions, beside?: boolean }} options
 * @returns {Promise<{ code: number, output: string, seconds: number }>} its output where it is piped
 */
export function runProgram([program, ...words], { cwd, env, stdio = ['ignore', 'pipe', 'pipe'], beside = false }) {
  const started = performance.now();
  const child = spawn(program, words, { cwd, env, stdio });
  if (beside && child.pid !== undefined) setPriority(child.pid, BESIDE);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: `${error.message}\n`, seconds: 0 }));
    child.on('close', (code) => resolve({ code: code ?? 1, output, seconds: (performance.now() - started) / 1000 }));
  });
}
