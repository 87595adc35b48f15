/** Constants of the curve, from SEC 2 v2 section 2.4.1. */

/** Order of the base point. */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Name by which node:crypto knows the curve. */
export const CURVE_NAME = 'secp256k1';
