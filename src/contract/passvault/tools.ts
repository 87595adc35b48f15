import * as v from 'valibot';
import { operation } from '../operation.ts';
import { integer, secretText, verbatim } from '../text.ts';
import { entryId, vaultId } from './entry.ts';

const root = '/api/passvault';
const flag = v.optional(v.boolean('must be true or false'));
const minimum = v.optional(integer(0, 128));

export const passwordStrength = v.picklist(['weak', 'fair', 'strong', 'very_strong']);
export type PasswordStrength = v.InferOutput<typeof passwordStrength>;

export const generatedPassword = v.object({
  password: v.string(),
  entropy: v.pipe(v.number(), v.description('bits')),
  strength: passwordStrength,
});
export type GeneratedPassword = v.InferOutput<typeof generatedPassword>;

const named = { entryId, title: v.string() };

export const healthReport = v.object({
  vaultId,
  checked: v.pipe(v.number(), v.description('logins with a password')),
  weak: v.array(v.object({ ...named, entropy: v.number(), strength: passwordStrength, common: v.boolean() })),
  reused: v.pipe(
    v.array(v.object({ entries: v.array(v.object(named)) })),
    v.description('groups of entries that share one password'),
  ),
  breachCheck: v.pipe(
    v.picklist(['done', 'skipped', 'unavailable']),
    v.description('`breached` has a meaning only if this is `done`'),
  ),
  breached: v.array(v.object({ ...named, count: v.number() })),
  old: v.array(v.object({ ...named, days: v.number() })),
});
export type HealthReport = v.InferOutput<typeof healthReport>;

export const tools = {
  generatePassword: operation({
    id: 'passvault.generate-password',
    method: 'POST',
    path: `${root}/generate-password`,
    envelope: 'passvault',
    auth: 'member',
    summary: 'Generate a password, or a passphrase of `words`',
    description:
      'The server generates it and does not store it. It has at least one character of each kind that is asked for.',
    input: v.object({
      length: v.optional(v.pipe(integer(8, 128), v.description('number of characters; 20 by default'))),
      uppercase: flag,
      lowercase: flag,
      numbers: flag,
      digits: v.pipe(flag, v.description('the same as `numbers`')),
      symbols: flag,
      minUppercase: minimum,
      minDigits: minimum,
      minSpecialChars: minimum,
      words: v.optional(
        v.pipe(integer(3, 32), v.description('number of words of the EFF large list, instead of characters')),
      ),
      separator: v.optional(v.pipe(verbatim(8), v.description('text between words; `-` by default'))),
    }),
    reply: v.object({ password: generatedPassword }),
    status: 200,
    message: 'Password generated',
    secretReply: true,
    errors: [],
    limit: { name: 'read' },
  }),
  generateTotp: operation({
    id: 'passvault.generate-totp',
    method: 'POST',
    path: `${root}/totp/generate`,
    envelope: 'passvault',
    auth: 'member',
    summary: 'Compute the current one-time code of a secret',
    description:
      'As in RFC 6238. An otpauth:// URI gives digits, period and hash itself. Steam has codes of its own, with 5 letters and digits.',
    input: v.object({
      secret: v.pipe(secretText(10_000), v.description('base-32, an otpauth:// URI, or steam://SECRET')),
    }),
    reply: v.object({
      code: v.object({ code: v.string(), remainingSeconds: v.number(), period: v.number() }),
    }),
    status: 200,
    message: 'One-time code',
    secretReply: true,
    errors: [],
    limit: { name: 'read' },
  }),
  validateTotp: operation({
    id: 'passvault.validate-totp',
    method: 'POST',
    path: `${root}/totp/validate`,
    envelope: 'passvault',
    auth: 'member',
    summary: 'Check a one-time code, within a window of time',
    description: 'The server does not remember codes. For a sign-in, accept each code only once.',
    input: v.object({
      code: v.pipe(
        v.string('must be text'),
        v.regex(/^[\dA-Za-z ]{5,10}$/, 'must be 6 to 8 digits, or 5 characters of Steam'),
      ),
      secret: secretText(10_000),
      window: v.optional(v.pipe(integer(0, 10), v.description('number of periods accepted before and after')), 1),
    }),
    reply: v.object({ valid: v.boolean() }),
    status: 200,
    message: 'Checked',
    errors: [],
    limit: { name: 'read' },
  }),
  checkBreach: operation({
    id: 'passvault.check-breach',
    method: 'POST',
    path: `${root}/breach-check`,
    envelope: 'passvault',
    auth: 'member',
    summary: 'Check how often a password occurs in known breaches',
    description: 'Only the first five digits of its SHA-1 leave the node, and nothing if the node has the list itself.',
    input: v.object({
      password: v.pipe(verbatim(10_000), v.minLength(1, 'must not be empty'), v.metadata({ secret: true })),
    }),
    reply: v.object({ breached: v.boolean(), count: v.number() }),
    status: 200,
    message: 'Checked',
    errors: ['BREACH_SERVICE_UNAVAILABLE'],
    limit: { name: 'read' },
  }),
  health: operation({
    id: 'passvault.health',
    method: 'GET',
    path: `${root}/vaults/:vaultId/health`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Report weak, reused, breached and old passwords of an open vault',
    description: 'The audit log records the check. Only five digits of a hash of each password leave the node.',
    input: v.object({
      vaultId,
      breaches: v.optional(
        v.pipe(v.picklist(['check', 'skip']), v.description('`skip` does not check for breached passwords')),
        'check',
      ),
    }),
    reply: healthReport,
    status: 200,
    message: 'Health',
    errors: ['VAULT_NOT_FOUND', 'VAULT_LOCKED'],
  }),
};
