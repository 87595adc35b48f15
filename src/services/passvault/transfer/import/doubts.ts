import type { KeptEntry } from '../../../../contract/passvault/entry.ts';
import { passesCheckDigit } from '../../../../crypto/check-digit.ts';
import { usableTotpSecret } from './otp-secret.ts';

/** As the formats call what codes are made from; `finishRecord` names so what it could not use. */
const OTP_NAME = /^(?:one-time password|otp|totp(?: seed|secret)?|timeotp-secret(?:-[a-z0-9]+)?)$/i;

/** What can't be right about secrets that were imported as they stand. Says nothing of them. */
export function doubtsAbout({ totpSecret, cardNumber, customFields = [] }: KeptEntry): string[] {
  const doubts: string[] = [];
  const otps = customFields.filter(({ name }) => OTP_NAME.test(name)).map(({ value }) => value);
  if ([...otps, totpSecret ?? ''].some((text) => text !== '' && !usableTotpSecret(text)))
    doubts.push('It has a secret for one-time codes that no codes can be made from.');
  if (cardNumber !== undefined && cardNumber !== '' && !passesCheckDigit(cardNumber))
    doubts.push('The check digit of its card number does not fit: a digit may be wrong or missing.');
  return doubts;
}
