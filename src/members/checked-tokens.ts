import { hash } from 'node:crypto';

/**
 * Remembers which tokens had a good signature, so that checking one costs a hash and not WebCrypto's way through the thread pool
 * (100 µs against 4 µs on the machine of the tests). It holds hashes alone: expiry and session are looked at on every request, and
 * nothing in here can be presented or opens anything.
 */
export interface CheckedTokens {
  has(token: string): boolean;
  add(token: string): void;
}

/** @param limit tokens to remember; 20,000 are about 3 MB */
export function checkedTokens(limit = 20_000): CheckedTokens {
  const newestLast = new Set<string>();
  return {
    has(token) {
      const key = digest(token);
      if (!newestLast.delete(key)) return false;
      newestLast.add(key);
      return true;
    },
    add(token) {
      newestLast.add(digest(token));
      for (const oldest of newestLast) {
        if (newestLast.size <= limit) break;
        newestLast.delete(oldest);
      }
    },
  };
}

function digest(token: string): string {
  return hash('sha256', token, 'base64');
}
