import { Problem } from '../../src/base/problem.ts';

/** The code of what went wrong, and behind a colon that of what another node told. */
export async function problemCode(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.cause instanceof Problem ? `${error.code}: ${error.cause.code}` : error.code;
  }
}
