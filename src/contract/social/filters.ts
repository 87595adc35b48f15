export const filterActions = ['hide', 'warn'] as const;
export type FilterAction = (typeof filterActions)[number];
export const filterContexts = ['home', 'public', 'hub', 'thread', 'profile', 'notifications'] as const;
export type FilterContext = (typeof filterContexts)[number];
