package com.intellij.openapi.actionSystem;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/Presentation.java. */
public class Presentation {
    public String getText() {
        throw new UnsupportedOperationException();
    }

    public String getDescription() {
        throw new UnsupportedOperationException();
    }

    public void setDescription(String description) {
        throw new UnsupportedOperationException();
    }

    public boolean isEnabled() {
        throw new UnsupportedOperationException();
    }

    public void setEnabled(boolean enabled) {
        throw new UnsupportedOperationException();
    }

    public boolean isEnabledAndVisible() {
        throw new UnsupportedOperationException();
    }

    public void setEnabledAndVisible(boolean enabled) {
        throw new UnsupportedOperationException();
    }
}
