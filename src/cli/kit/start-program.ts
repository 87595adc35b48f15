import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/** What begins so is ours: where a store is, and what opens it. */
const ours = /^CONCLAVE_/i;

export interface ProgramOptions extends Omit<SpawnOptions, 'env'> {
  /** what we have ourselves */
  readonly env: NodeJS.ProcessEnv;
  /** what this program gets beside, and instead of it */
  readonly variables?: readonly (readonly [name: string, value: string])[];
}

/**
 * Starts another program: the only place that does. Nothing of ours is passed on, be it a token, a password or the name of a file with
 * one; whoever wants a program to have some of it names it.
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

/** @returns the environment as it is for others */
export function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}
