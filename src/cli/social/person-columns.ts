import type { Person, Profile } from '../../contract/social/person.ts';
import { moment, yesNo, type Screen } from '../kit/screen.ts';
import type { Column, Detail } from '../kit/table.ts';

export const personColumns: readonly Column<Person>[] = [
  { title: 'MEMBER', of: (person) => person.username, main: true },
  { title: 'NAME', of: (person) => person.displayName },
  { title: 'PROTECTED', of: (person) => yesNo(person.isProtected), spare: true },
  { title: 'VERIFIED', of: (person) => yesNo(person.isVerified), spare: true },
  { title: 'ID', of: (person) => person['_id'], whole: true, spare: true },
];

/** What a profile says, for a table of two columns. */
export function profilePairs(screen: Screen, profile: Profile): Detail[] {
  const { following, followsYou, blocked, muted } = profile;
  const between = [
    ...(following === 'yes' ? ['you follow them'] : []),
    ...(following === 'requested' ? ['you asked to follow them'] : []),
    ...(followsYou ? ['they follow you'] : []),
    ...(blocked ? ['you blocked them'] : []),
    ...(muted ? ['you muted them'] : []),
  ];
  return [
    ['Username', profile.username],
    ['Name', profile.displayName],
    ['Bio', profile.bio || '-', 'prose'],
    ['Location', profile.location || '-'],
    ['Website', profile.websiteUrl || '-'],
    ['Protected', yesNo(profile.isProtected)],
    ['Verified', yesNo(profile.isVerified)],
    ['Posts', String(profile.postCount)],
    ['Followers', profile.followerCount === undefined ? 'hidden' : String(profile.followerCount)],
    ['Following', profile.followingCount === undefined ? 'hidden' : String(profile.followingCount)],
    ['Between you', between.join(', ') || '-'],
    ['Member since', moment(screen, profile.createdAt)],
    ['Id', profile['_id']],
  ];
}
