const ZERO = 0x30;

/** Checks the last digit of a card number (ISO/IEC 7812-1, annex B: the Luhn formula). Spaces and dashes are ignored. */
export function passesCheckDigit(number: string): boolean {
  const digits = number.replaceAll(/[\s-]/g, '');
  if (!/^\d{8,19}$/.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - ZERO;
    const value = digit * (place % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
