// Random numbers, the same for the same seed.

// mulberry32, a public-domain generator by Tommy Ettinger: 32 bits of state, good enough for tests.
export class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  next() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  chance(p) {
    return this.next() < p;
  }
  between(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }
  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }
  some(list, p) {
    return list.filter(() => this.chance(p));
  }
}
