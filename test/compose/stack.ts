import { freePort } from '../support/brokers.js';
import { ComposeProject } from './compose.js';
import { type Engine, startEngine } from './engine.js';
import { buildAppImage, natsImage } from './images.js';

/** An engine, the images, and a unique project. No service is up yet. */
export class Stack {
  private constructor(
    readonly project: ComposeProject,
    readonly shopPort: number,
    private readonly engine: Engine,
  ) {}

  static async start({ withNats = false } = {}): Promise<Stack> {
    const engine = await startEngine();
    try {
      const images = { ROOST_IMAGE: await buildAppImage(), ...(withNats ? { NATS_IMAGE: await natsImage() } : {}) };
      const shopPort = await freePort();
      return new Stack(new ComposeProject({ ...images, SHOP_PORT: String(shopPort) }), shopPort, engine);
    } catch (error) {
      await engine.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    try {
      await this.project.remove();
    } finally {
      await this.engine.stop();
    }
  }
}
