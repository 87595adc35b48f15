import { Flags } from '@oclif/core';
import { linkDetails, type LinkDetail } from '../../contract/calendar/limits.ts';

export const detailFlag = {
  detail: Flags.string({ description: 'how much it shows; usually viewer', options: [...linkDetails] }),
};

export function detailOf(text: string | undefined): LinkDetail | undefined {
  return linkDetails.find((detail) => detail === text);
}

/** What somebody sees who knows the address. */
export const linkShows: Readonly<Record<LinkDetail, string>> = {
  viewer: 'events, without what is private',
  freebusy: 'when time is taken',
};
