// A page that is opened from a folder may start no worker, and search is one.
// There it runs in an unseen frame of the page; from a server nothing of this is used.
if (location.protocol === "file:") {
  class FramedWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.scope = frame.contentWindow;
      this.ready = new Promise((resolve) => {
        const loaded = () => resolve();
        this.scope.postMessage = (data) => this.answer(data);
        this.scope.importScripts = (...names) =>
          names.reduce((before, name) => before.then(() => this.load(name)), Promise.resolve());
        this.load(url).then(loaded);
      });
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.scope.document.createElement("script");
        Object.assign(script, { src: url, onload: resolve, onerror: reject });
        this.scope.document.body.append(script);
      });
    }

    answer(data) {
      this.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
    }

    postMessage(data) {
      this.ready.then(() => {
        const message = new MessageEvent("message", { data: structuredClone(data) });
        this.scope.dispatchEvent(message);
      });
    }

    terminate() {
      this.scope.frameElement.remove();
    }
  }
  window.IFrameWorker = window.Worker = FramedWorker; // the first name is what the theme looks for
}
