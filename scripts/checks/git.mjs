import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What git says about a checkout, without the end of its last line. @throws where there is no git, no repository, or not what is asked for */
export async function git(root, ...words) {
  return (await promisify(execFile)('git', words, { cwd: root })).stdout.trimEnd();
}
