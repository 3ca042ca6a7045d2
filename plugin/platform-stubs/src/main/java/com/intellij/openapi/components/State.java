package com.intellij.openapi.components;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for platform/projectModel-api/src/com/intellij/openapi/components/State.java. */
@Retention(RetentionPolicy.RUNTIME)
public @interface State {
    String name();

    Storage[] storages() default {};

    SettingsCategory category() default SettingsCategory.OTHER;
}
