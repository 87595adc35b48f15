/** What keys do, and the first of them in the last line of the screen. */
export const calendarKeys = [
  ['arrows', 'to another day; in the week up and down go from event to event'],
  ['tab, shift-tab', 'to the next event of the day and back, also j and k'],
  ['page up, down', 'to another month, or another week'],
  ['home, end', 'to the first and the last day of the month, or of the week'],
  ['t', 'today'],
  ['g', 'go to a day: 12 May, next Monday, 2026-05-12'],
  ['m, w', 'show the month, or the week'],
  ['enter', 'show the event'],
  ['n', 'add an event in words: Lunch with Bob 12:30 1h'],
  ['e', 'change title, time or place of the event'],
  ['d', 'delete the event, after a question'],
  ['/', 'search'],
  ['c', 'choose which calendars are shown'],
  ['.', 'read again'],
  ['?', 'these keys'],
  ['q, ctrl-c', 'quit'],
] as const;

export const hints = {
  calendar: 'enter:show n:new e:edit d:delete tab:event t:today m:month w:week ?:keys q:quit',
  event: 'arrows:scroll e:edit d:delete esc:back',
  help: 'arrows:scroll esc:back',
  calendars: 'space:show or hide esc:back',
  found: 'enter:go there esc:back',
} as const;
