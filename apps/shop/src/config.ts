import { ShopFault } from './shop-fault.js';

/** The settings, checked. Also the token by which they are injected. */
export class ShopConfig {
  readonly host!: string;
  readonly port!: number;
  readonly dataDir!: string;
  readonly adminToken!: string | undefined;
  readonly cartIdleMs!: number;
  readonly shipMs!: number;
}

/** @throws ShopFault with a line for every variable that is wrong */
export function readConfig(env: NodeJS.ProcessEnv): ShopConfig {
  const faults: string[] = [];

  // An empty variable is as good as none: that is what compose files pass on.
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;

  const wholeNumber = (name: string, fallback: number, least: number, most: number): number => {
    const given = text(name);
    if (given === undefined) return fallback;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    faults.push(`${name} is "${given}": give a whole number from ${least} to ${most}`);
    return fallback;
  };

  const secret = (name: string): string | undefined => {
    const given = text(name);
    if (given === undefined || /^[\x21-\x7e]{16,}$/.test(given)) return given;
    faults.push(`${name} is "***": give at least 16 characters, without spaces`);
    return undefined;
  };

  const config: ShopConfig = {
    host: text('HOST') ?? '127.0.0.1',
    port: wholeNumber('PORT', 3000, 0, 65_535),
    dataDir: text('DATA_DIR') ?? 'data/shop',
    adminToken: secret('ADMIN_TOKEN'),
    cartIdleMs: wholeNumber('CART_IDLE_MS', 60_000, 1, 86_400_000),
    // A stop waits for the order in hand, so shipping one has to fit into the time for a stop.
    shipMs: wholeNumber('SHIP_MS', 200, 0, 10_000),
  };
  if (faults.length > 0) throw new ShopFault(faults);
  return config;
}
