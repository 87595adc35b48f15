import { media } from './social/media.ts';

/** The social network, prefix `/api/social`. */
export const social = { ...media };
