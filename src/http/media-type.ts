/** Media types as headers spell them (RFC 9110, 8.3). */

/** @returns the type without its parameters, in lower case; '' where there is none */
export function mediaTypeOf(header: string | null): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** @param pattern a type, `type/*` or an asterisk for both */
export function isOfType(type: string, pattern: string): boolean {
  const [wantedMain, wantedSub] = pattern.split('/');
  const [main, sub] = type.split('/');
  if (main === undefined || sub === undefined || main === '' || sub === '') return false;
  return (wantedMain === '*' || wantedMain === main) && (wantedSub === '*' || wantedSub === sub);
}
