import type { ChosenStatus, PresenceStatus } from '../../contract/chat/presence.ts';
import type { Column } from '../kit/table.ts';

const shows: Readonly<Record<ChosenStatus, string>> = {
  online: 'You are shown as online while a program of yours is connected.',
  idle: 'You are shown as idle while a program of yours is connected.',
  dnd: 'Do Not Disturb is on: notifications wait. Others see it while a program of yours is connected.',
};

export function ownPresenceText(own: ChosenStatus): string {
  return shows[own];
}

export const presenceColumns: Column<{ readonly name: string; readonly status: PresenceStatus }>[] = [
  { title: 'MEMBER', of: ({ name }) => name, main: true },
  { title: 'STATUS', of: ({ status }) => status },
];
