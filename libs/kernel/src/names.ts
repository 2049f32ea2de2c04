/** Converts `AdminEndpoint` to `admin-endpoint`. */
export const kebabCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();

/** Formats a count with its noun: `1 actor`, `2 actors`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
