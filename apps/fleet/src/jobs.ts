export interface Mail {
  readonly to: string;
  readonly subject: string;
}

export interface Label {
  readonly to: string;
  readonly parcel: string;
}

export class InvalidJobError extends Error {
  override readonly name = 'InvalidJobError';
}

/** @throws InvalidJobError */
export const mailOf = (value: unknown): Mail => ({ to: textIn(value, 'to'), subject: textIn(value, 'subject') });

/** @throws InvalidJobError */
export const labelOf = (value: unknown): Label => ({ to: textIn(value, 'to'), parcel: textIn(value, 'parcel') });

/** Accepts only short text without control characters, because it goes into files and logs. */
function textIn(value: unknown, field: string): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  if (typeof text === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(text)) return text;
  throw new InvalidJobError(`${field} must be one line of 1 to 200 characters.`);
}
