import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/** Prefix of our own variables, which name stores and secrets. */
const ours = /^CONCLAVE_/i;

export interface ProgramOptions extends Omit<SpawnOptions, 'env'> {
  /** the environment of this process */
  readonly env: NodeJS.ProcessEnv;
  /** variables that the program gets in addition; they replace those of the environment */
  readonly variables?: readonly (readonly [name: string, value: string])[];
}

/**
 * Starts another program. No other code does so. Our own variables (tokens, passwords, files with secrets) are removed from its
 * environment, unless the caller names them.
 */
export function startProgram(
  command: string,
  args: readonly string[],
  { env, variables = [], ...options }: ProgramOptions,
): ChildProcess {
  return spawn(command, args, { ...options, env: childEnvironment(env, variables) });
}

export function childEnvironment(
  env: NodeJS.ProcessEnv,
  variables: readonly (readonly [name: string, value: string])[],
): NodeJS.ProcessEnv {
  return { ...withoutOurs(env), ...Object.fromEntries(variables) };
}

/** @returns the environment without our own variables */
export function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}
