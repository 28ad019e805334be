package dev.shellac.chaperone.controller;

/** What stands before varnishd, as far as the rest of the pod needs to know. */
public interface Edge {
    LiveState.Edge state();

    /** Takes no new connections from now on, and ends those that there are with their answers. */
    void turnAway();

    /** Nobody is served through it any more. */
    boolean isEmpty();

    /** Where no Gateway may have TLS. */
    Edge NONE = new Edge() {
        @Override
        public LiveState.Edge state() {
            return LiveState.NOTHING.edge();
        }

        @Override
        public void turnAway() {
            // nobody is here
        }

        @Override
        public boolean isEmpty() {
            return true;
        }
    };
}
