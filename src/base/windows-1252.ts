/**
 * The characters 0x80 to 0x9f of windows-1252, which the decoder of Node 20 does not know; a blank is none. Latin-1 has controls there,
 * which nobody means.
 */
export const windows1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
