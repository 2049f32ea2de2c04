import { ShopFault } from './shop-fault.js';

/** Validated settings. The class is also their injection token. */
export class ShopConfig {
  readonly host!: string;
  readonly port!: number;
  readonly dataDir!: string;
  readonly adminToken!: string | undefined;
  readonly cartIdleMs!: number;
  readonly shipMs!: number;
}

/** @throws ShopFault with one line for each invalid variable */
export function readConfig(env: NodeJS.ProcessEnv): ShopConfig {
  const faults: string[] = [];

  // Compose files pass empty variables, so an empty variable counts as unset.
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;

  const wholeNumber = (name: string, fallback: number, least: number, most: number): number => {
    const given = text(name);
    if (given === undefined) return fallback;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    faults.push(`${name} is "${given}": use a whole number from ${least} to ${most}`);
    return fallback;
  };

  const secret = (name: string): string | undefined => {
    const given = text(name);
    if (given === undefined || /^[\x21-\x7e]{16,}$/.test(given)) return given;
    faults.push(`${name} is "***": use at least 16 characters, without spaces`);
    return undefined;
  };

  const config: ShopConfig = {
    host: text('HOST') ?? '127.0.0.1',
    port: wholeNumber('PORT', 3000, 0, 65_535),
    dataDir: text('DATA_DIR') ?? 'data/shop',
    adminToken: secret('ADMIN_TOKEN'),
    cartIdleMs: wholeNumber('CART_IDLE_MS', 60_000, 1, 86_400_000),
    // A shutdown waits for the current shipment, so a shipment must fit into the shutdown.
    shipMs: wholeNumber('SHIP_MS', 200, 0, 10_000),
  };
  if (faults.length > 0) throw new ShopFault(faults);
  return config;
}
