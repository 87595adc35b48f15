import type { Problem } from '../../problem.ts';

export interface Called {
  /** the words that were called */
  readonly command: string;
  readonly server?: string | undefined;
}

/** The command that gets a person on from a problem, where there is one. */
export function hintFor(problem: Problem, { command, server }: Called): string | undefined {
  const at = server === undefined ? '' : ` --server ${server}`;
  switch (problem.code) {
    case 'NOT_SIGNED_IN':
    case 'UNAUTHORIZED':
      return `Sign in with: conclave login${at}`;
    case 'STORE_MISSING':
      return 'Make a store with: conclave init. One elsewhere is named by --data-dir or CONCLAVE_DATA_DIR, a server by --server.';
    case 'STORE_ELSEWHERE':
      return 'Use a server with: conclave server use URL. For one command: --server URL.';
    case 'NODE_SECRET_MISSING':
      return 'Put the file back, or name its place by CONCLAVE_NODE_SECRET_FILE. A backup made with --with-secrets has it: conclave admin store restore';
    case 'STORE_TOO_OLD':
      return 'Bring it up to date with: conclave admin store migrate';
    case 'KEY_LOCKED':
      return `Sign in with the password: conclave login${at}`;
    case 'VAULT_LOCKED':
      return 'Open it with: conclave vault open NAME. Without a terminal: --master-password-file or CONCLAVE_MASTER_PASSWORD.';
    case 'MASTER_PASSWORD_UNKNOWN':
      return 'Set a new one with: conclave vault password NAME --recovered';
    case 'USAGE':
    case 'SECRET_AS_ARGUMENT':
      return `See: conclave ${command === '' ? '' : `${command} `}--help`;
    default:
      return problem.retryAfterSeconds === undefined
        ? undefined
        : `Try again in ${Math.ceil(problem.retryAfterSeconds)} s.`;
  }
}
