import { Flags } from '@oclif/core';

/** What can be said of a calendar. */
export const calendarFlags = {
  color: Flags.string({ description: 'such as #1a73e8', helpValue: 'COLOR' }),
  zone: Flags.string({ description: 'time zone of its days, such as Europe/Berlin', helpValue: 'ZONE' }),
  description: Flags.string({ description: 'what it is for', helpValue: 'TEXT' }),
  default: Flags.boolean({ description: 'make it the one for invitations and bookings' }),
};

interface Given {
  readonly color?: string | undefined;
  readonly zone?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: boolean | undefined;
}

/** The same as input of operations. What is not named is left out. */
export function calendarInput({ color, zone, description, default: isDefault = false }: Given) {
  return {
    ...(color !== undefined && { color }),
    ...(zone !== undefined && { timezone: zone }),
    ...(description !== undefined && { description }),
    ...(isDefault && { isDefault: true as const }),
  };
}
