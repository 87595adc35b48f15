import { toBase32 } from '../../../../crypto/base32.ts';
import { withSteamScheme } from '../../../../crypto/totp.ts';
import type { Draft } from './draft.ts';
import { fromBase64 } from './file-text.ts';
import type { KeePassString } from './keepass-tree.ts';
import { totpSecretOf, usableTotpSecret } from './otp-secret.ts';

type Strings = Map<string, KeePassString>;

/**
 * The forms in which KeePass, KeePassXC and their plug-ins write one-time passwords. Secrets that can't produce codes (HOTP, damaged ones)
 * stay among the strings and become fields.
 */
export function takeOtp(draft: Draft, strings: Strings): void {
  for (const read of [fromOtp, fromSeed, fromTimeOtp]) {
    const { secret, keys } = read(strings);
    if (secret === undefined || !usableTotpSecret(secret)) continue;
    draft.totps.push(secret);
    for (const key of keys) strings.delete(key);
  }
}

interface Found {
  readonly secret: string | undefined;
  readonly keys: readonly string[];
}

/** `otp`: an otpauth URI, or `key=…&step=…&size=…&otpHashMode=…` of KeeOtp. */
function fromOtp(strings: Strings): Found {
  const text = strings.get('otp')?.value ?? '';
  if (!/^key=|&key=/.test(text)) return { secret: text, keys: ['otp'] };
  const values = new URLSearchParams(text);
  const isCounter = values.get('type')?.toLowerCase() === 'hotp';
  const secret = isCounter
    ? undefined
    : totpSecretOf({
        secret: values.get('key') ?? '',
        period: values.get('step') ?? undefined,
        digits: values.get('size') ?? undefined,
        algorithm: values.get('otpHashMode') ?? undefined,
      });
  return { secret, keys: ['otp'] };
}

/** `TOTP Seed` with `TOTP Settings` `30;6`. `30;S` means Steam. */
function fromSeed(strings: Strings): Found {
  const seed = strings.get('TOTP Seed')?.value;
  const settings = strings.get('TOTP Settings')?.value ?? '30;6';
  const keys = ['TOTP Seed', 'TOTP Settings'];
  if (seed !== undefined && /^\s*\d+;S/.test(settings)) return { secret: withSteamScheme(`steam://${seed}`), keys };
  const [, period, digits] = /^\s*(\d+);(\d+)/.exec(settings) ?? [];
  const secret =
    seed !== undefined && digits !== undefined ? totpSecretOf({ secret: seed, period, digits }) : undefined;
  return { secret, keys };
}

/** `TimeOtp-Secret` (UTF-8), `-Secret-Hex`, `-Secret-Base32`, `-Secret-Base64`, `-Length`, `-Period`, `-Algorithm`. */
function fromTimeOtp(strings: Strings): Found {
  const valueOf = (name: string): string | undefined => strings.get(`TimeOtp-${name}`)?.value;
  const [plain, hex, base64] = [valueOf('Secret'), valueOf('Secret-Hex')?.trim(), valueOf('Secret-Base64')];
  let secret = valueOf('Secret-Base32');
  if (!secret && plain) secret = toBase32(Buffer.from(plain));
  if (!secret && hex && /^(?:[0-9a-f]{2})+$/i.test(hex)) secret = toBase32(Buffer.from(hex, 'hex'));
  if (!secret && base64) secret = toBase32(fromBase64(base64) ?? new Uint8Array());
  const names = ['Secret', 'Secret-Hex', 'Secret-Base32', 'Secret-Base64', 'Length', 'Period', 'Algorithm'];
  return {
    secret:
      secret &&
      totpSecretOf({ secret, digits: valueOf('Length'), period: valueOf('Period'), algorithm: valueOf('Algorithm') }),
    keys: names.map((name) => `TimeOtp-${name}`),
  };
}
