import type { Config } from '../config/config.ts';

/** OWASP REST Security Cheat Sheet. What answers with a page of its own sets its own policy over these. */
const always = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * Headers of every answer. HSTS goes out under TLS with a given certificate alone: with a self-signed one it would forbid the
 * exception that a person has to make.
 */
export function securityHeaders({ tls }: Pick<Config, 'tls'>): Readonly<Record<string, string>> {
  const lasting = typeof tls === 'object' ? { 'strict-transport-security': 'max-age=31536000' } : {};
  return { ...always, ...lasting };
}
