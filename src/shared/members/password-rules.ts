import { normalizePassword } from '../../crypto/password.ts';
import { fieldProblem, type Problem } from '../../base/problem.ts';
import { isCommonPassword } from './common-passwords.ts';
import { passwordLimits } from '../../contract/accounts/limits.ts';

const { min: MIN_CHARACTERS, max: MAX_CHARACTERS } = passwordLimits;
/** A password that is a name plus fewer characters than this (`alice2024`) is guessed together with the name. */
const MIN_BESIDE_NAME = 5;

/**
 * @param field the input field that holds the password
 * @param names username and e-mail address of the owner of the password, as far as the caller may know them
 * @throws Problem invalid PASSWORD_WEAK, with the rule that was broken
 */
export async function assertStrongPassword(field: string, password: string, names: readonly string[]): Promise<void> {
  const normalized = normalizePassword(password);
  const characters = Array.from(normalized).length;
  if (characters < MIN_CHARACTERS) throw weak(field, `must have at least ${MIN_CHARACTERS} characters`);
  if (characters > MAX_CHARACTERS) throw weak(field, `must have at most ${MAX_CHARACTERS} characters`);
  assertNotNamed(field, normalized, names);
  if (await isCommonPassword(normalized)) throw weak(field, 'is one of the most common passwords');
}

/** Checks only the rule about names, if the names may be read later than the rest. @throws Problem invalid PASSWORD_WEAK */
export function assertNotNamed(field: string, password: string, names: readonly string[]): void {
  const lower = normalizePassword(password).toLowerCase();
  for (const name of names.flatMap(spellings)) {
    const rest = lower.replaceAll(name, '');
    if (rest === '' || (rest !== lower && Array.from(rest).length < MIN_BESIDE_NAME)) {
      throw weak(field, 'must not be the username or the e-mail address');
    }
  }
}

/** The name; for an e-mail address also the part before the @. */
function spellings(name: string): string[] {
  const lower = name.normalize('NFKC').toLowerCase();
  const at = lower.lastIndexOf('@');
  return at > 0 ? [lower, lower.slice(0, at)] : [lower];
}

function weak(field: string, message: string): Problem {
  return fieldProblem(field, message, { code: 'PASSWORD_WEAK', sentence: `The password ${message}.` });
}
