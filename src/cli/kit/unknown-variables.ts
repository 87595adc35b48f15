import { escapeForTerminal } from './escape-for-terminal.ts';
import { fileVariableOf, variableOf as secretVariableOf } from './secrets.ts';

const prefix = 'CONCLAVE_';

/** Variables of commands and scripts, other than options and secrets. They are repeated here, because each is read in another file. */
const plain = [
  'CA',
  'CONFIG',
  'DEBUG',
  'SERVER',
  'TOKEN',
  'ADMIN_EMAIL',
  'ADMIN_USERNAME',
  'RELEASE_DEB_LEVEL',
  'RELEASE_KEY',
  'RELEASE_MAINTAINER',
  'TEST_CPU',
  'TEST_ENGINES',
  'TEST_LARGE',
  'TEST_PROGRAM',
  'TEST_RELEASE',
  'TEST_RELEASES',
  'TEST_RUNS',
  'TEST_SEED',
  'TEST_STAGE',
  'TEST_STATEMENTS',
  'CHECK_COUNTS',
];

/** Secrets of commands that are not fields of an operation. */
const secrets = [
  'ADMIN_PASSWORD',
  'ADMIN_MNEMONIC',
  'KEY',
  'LINK_PASSWORD',
  'PASSPHRASE',
  'TO_PASSWORD',
  'EXPORT_PASSWORD',
  'IMPORT_PASSWORD',
  'INVITE',
  'JOIN_TOKEN',
  'QUORUM_MNEMONIC',
];

/** Variables that Kubernetes sets in every pod for a service named conclave. */
const ofKubernetes = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;

/**
 * A warning for each variable with our prefix that nothing reads. A misspelt limit would otherwise be ignored without notice. It is not
 * an error, because other programs may use the variable.
 */
export async function unknownVariables(env: NodeJS.ProcessEnv): Promise<string[]> {
  const given = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name] && !ofKubernetes.test(name));
  if (given.length === 0) return [];
  const [{ options, variableOf }, { isNearly }] = await Promise.all([
    import('../../config/options.ts'),
    import('../../config/sources.ts'),
  ]);
  const known = new Set(Object.values(options).map(({ key }) => variableOf(key)));
  for (const name of plain) known.add(prefix + name);
  for (const name of secrets) addSecret(known, prefix + name);
  if (given.every((name) => known.has(name))) return [];
  // Loaded here, because it loads the whole contract and most people set none of these variables.
  const [{ allOperations }, { fieldsOf }] = await Promise.all([import('../../contract/all.ts'), import('./fields.ts')]);
  for (const { name, secret } of allOperations().flatMap(fieldsOf))
    if (secret) addSecret(known, secretVariableOf(name));
  return given.filter((name) => !known.has(name)).map((name) => sentence(name, meantBy(name, [...known], isNearly)));
}

function addSecret(known: Set<string>, variable: string): void {
  known.add(variable).add(fileVariableOf(variable));
}

/** Finds a known variable that differs in a letter, or in the name of its section. */
function meantBy(
  name: string,
  known: readonly string[],
  isNearly: (one: string, other: string) => boolean,
): string | undefined {
  const last = (variable: string) => variable.slice(prefix.length - 1);
  return (
    known.find((one) => isNearly(one, name)) ??
    known.find((one) => one.endsWith(last(name))) ??
    known.filter((one) => name.endsWith(last(one))).sort((one, other) => other.length - one.length)[0]
  );
}

function sentence(name: string, meant: string | undefined): string {
  const hint = meant === undefined ? '.' : `; is ${meant} meant?`;
  return `${escapeForTerminal(name)} is not a variable of Conclave, and has no effect${hint}`;
}
