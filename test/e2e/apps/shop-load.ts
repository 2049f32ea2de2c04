import { type Shop } from './shop-app.js';

export type Outcome = { step: 'add' | 'checkout'; status?: number; id?: string; code?: string };

/** Visitors that fill a new cart and order it, one after another, until the shop stops. */
export class ShopLoad {
  /** Outcome of the visit with each cart. */
  readonly outcomes = new Map<string, Outcome>();
  readonly #visitors: Promise<void>[];
  #carts = 0;
  #isOver = false;

  constructor(
    private readonly shop: Shop,
    visitors = 20,
  ) {
    this.#visitors = Array.from({ length: visitors }, () => this.#visit());
  }

  get confirmed(): string[] {
    return [...this.outcomes.values()].flatMap(({ id }) => id ?? []);
  }

  /** Carts of visits with one of these outcomes. */
  carts(isWanted: (outcome: Outcome) => boolean): string[] {
    return [...this.outcomes].filter(([, outcome]) => isWanted(outcome)).map(([cart]) => cart);
  }

  /** Waits for all visitors. Each stops at the first request that fails. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#visitors);
  }

  async #visit(): Promise<void> {
    while (!this.#isOver) {
      const cart = `cart-${++this.#carts}`;
      let step: Outcome['step'] = 'add';
      try {
        const added = await this.shop.add(cart);
        if (added.status === 201) {
          step = 'checkout';
          const { status, body } = await this.shop.checkout(cart);
          this.outcomes.set(cart, { step, status, id: status === 201 ? body.id : undefined });
        } else {
          this.outcomes.set(cart, { step, status: added.status });
        }
      } catch (error) {
        this.outcomes.set(cart, { step, code: (error as NodeJS.ErrnoException).code });
        return;
      }
    }
  }
}
