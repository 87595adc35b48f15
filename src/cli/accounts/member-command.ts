import { Args } from '@oclif/core';
import { perform } from '../../client/perform.ts';
import type { members, Member } from '../../contract/accounts/members.ts';
import { ApiCommand } from '../kit/command.ts';
import { findMember, findProvenMember } from './find-member.ts';
import { details } from '../kit/table.ts';
import { moment, type Screen } from '../kit/screen.ts';

export const memberArgument = {
  member: Args.string({ description: 'username, e-mail address, or beginning of the id', required: true }),
};

type MemberOperation = (typeof members)['promote' | 'demote' | 'suspend' | 'restore' | 'show'];

/** A command that performs one operation on one member and then shows the member. */
export abstract class MemberCommand extends ApiCommand {
  static override args = memberArgument;

  protected abstract readonly operation: MemberOperation;
  /** Gives something to the member, so an e-mail address that nobody verified doesn't name them. */
  protected readonly gives: boolean = false;

  async run(): Promise<void> {
    const { args, flags } = await this.parse({ args: memberArgument, baseFlags: MemberCommand.baseFlags, flags: {} });
    await using client = await this.connect(flags);
    const find = this.gives ? findProvenMember : findMember;
    const { id: memberId } = await find(client, args.member);
    const { member } = await perform(client, this.operation, { memberId });
    await this.answer(member, (screen) => describeMember(screen, member));
  }
}

export function describeMember(screen: Screen, member: Member): string {
  return details(screen, [
    ['Username', member.username],
    ['E-mail', `${member.email}${member.emailVerified ? '' : ' (not verified)'}`],
    ['Id', member.id],
    ['Type', member.type],
    ['Status', member.status],
    ['Sessions', String(member.sessions)],
    ['Registered', moment(screen, member.createdAt)],
    ['Last sign-in', moment(screen, member.lastLogin)],
    ['Public key', member.publicKey],
  ]);
}
