import { getDotPath, safeParse, type InferInput } from 'valibot';
import { tools, type GeneratedPassword } from '../contract/passvault/tools.ts';
import { systemRandom } from '../crypto/bytes.ts';
import { makePassword } from '../services/passvault/tools/generator.ts';
import { Problem } from '../base/problem.ts';

const wished = tools.generatePassword.input;

/**
 * Generates a password or passphrase in this process by the server's rules, so the secret is not sent before it is used.
 *
 * @throws Problem invalid VALIDATION_ERROR for wishes that the contract refuses, or that contradict each other
 */
export async function generatePassword(wishes: InferInput<typeof wished>): Promise<GeneratedPassword> {
  const result = safeParse(wished, wishes, { abortPipeEarly: true });
  if (result.success) return await makePassword(systemRandom, result.output);
  const fields = result.issues.map((issue) => ({ path: getDotPath(issue) ?? '', message: issue.message }));
  throw new Problem(
    'invalid',
    'VALIDATION_ERROR',
    fields.map(({ path, message }) => `${path}: ${message}`).join('; '),
    { fields },
  );
}
