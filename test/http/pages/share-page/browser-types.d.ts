import type { webcrypto } from 'node:crypto';

// Types that browsers have and Node's declarations don't: parts of the page are tested in Node, where the tests have no types of pages.
declare global {
  type CryptoKey = webcrypto.CryptoKey;

  interface RequestInit {
    cache?: 'no-store';
  }
}
