import type { Config } from '../config/config.ts';

/** From the OWASP REST Security Cheat Sheet. A service that answers with pages sets its own policy over these. */
const always = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * Headers of every answer. HSTS is sent only under TLS with a given certificate. With a self-signed certificate, HSTS would forbid the
 * exception that a person has to make in the browser.
 */
export function securityHeaders({ tls }: Pick<Config, 'tls'>): Readonly<Record<string, string>> {
  const lasting = typeof tls === 'object' ? { 'strict-transport-security': 'max-age=31536000' } : {};
  return { ...always, ...lasting };
}
