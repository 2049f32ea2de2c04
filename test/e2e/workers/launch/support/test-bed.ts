import { tempDir } from '../../../../support/temp-dir.js';
import { FleetProcess, type FleetProcessOptions } from './fleet-process.js';
import { GateKeeper, type Visitor } from './gate-keeper.js';
import type { Plan } from '../fixtures/plan.js';

const { jest } = import.meta;

/** Shared by the tests of a file: gates, a folder, and a cleanup after each test. */
export class TestBed {
  #gates!: GateKeeper;
  #dir!: Awaited<ReturnType<typeof tempDir>>;

  /** Registers hooks with jest. */
  constructor() {
    jest.setTimeout(30_000);
    beforeEach(async () => {
      this.#gates = await GateKeeper.start();
      this.#dir = await tempDir();
    });
    afterEach(async () => {
      await FleetProcess.killAll();
      await this.#gates.close();
      await this.#dir.remove();
    });
  }

  /** A fresh folder for each test. */
  get folder(): string {
    return this.#dir.path;
  }

  start(plan: Plan, options: FleetProcessOptions = {}): FleetProcess {
    return new FleetProcess(plan, this.#withGates(options));
  }

  /** Starts a fleet and waits until every child is up. */
  up(plan: Plan, options: FleetProcessOptions = {}): Promise<FleetProcess> {
    return FleetProcess.up(plan, this.#withGates(options));
  }

  /** Waits for the next program that reaches a gate. */
  at(point: string): Promise<Visitor> {
    return this.#gates.next(point);
  }

  #withGates({ env, ...rest }: FleetProcessOptions): FleetProcessOptions {
    return { ...rest, env: { GATE_PORT: String(this.#gates.port), ...env } };
  }
}
