package com.intellij.ide;

import com.intellij.util.messages.Topic;

/** Stands for platform/core-api/src/com/intellij/ide/PowerSaveMode.java. */
public final class PowerSaveMode {
    public static final Topic<Listener> TOPIC = new Topic<>("Power save mode", Listener.class);

    private PowerSaveMode() {
    }

    public static boolean isEnabled() {
        throw new UnsupportedOperationException();
    }

    public interface Listener {
        void powerSaveStateChanged();
    }
}
